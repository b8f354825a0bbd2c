package dev.slate.tree;

import dev.slate.tree.posix.ErrnoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What was below an overlay: asked to tell real changes from files that were only copied up. */
public interface Lower {
    Optional<Entry> find(TreePath path) throws IOException;

    /** Names of the children; none where there is no directory. */
    List<String> names(TreePath directory) throws IOException;

    static Lower tree(Tree tree) {
        return new Lower() {
            @Override
            public Optional<Entry> find(TreePath path) {
                return tree.find(path);
            }

            @Override
            public List<String> names(TreePath directory) {
                var names = new ArrayList<String>();
                for (var path : tree.below(directory).keySet()) {
                    if (path.parent().orElseThrow().equals(directory)) {
                        names.add(path.name());
                    }
                }
                return names;
            }
        };
    }

    /** A directory as a user sees it: for image layers, the read-only mount of all lower layers. */
    static Lower directory(Path root) {
        return new Lower() {
            @Override
            public Optional<Entry> find(TreePath path) throws IOException {
                try {
                    return EntryReader.read(root, path, BodySink.digestOnly());
                } catch (ErrnoException e) {
                    return absent(e, Optional.empty());
                }
            }

            @Override
            public List<String> names(TreePath path) throws IOException {
                try (var directory = Directories.open(root, path)) {
                    return directory.names();
                } catch (ErrnoException e) {
                    return absent(e, List.of());
                }
            }

            private <T> T absent(ErrnoException failure, T answer) throws ErrnoException {
                return switch (failure.errno()) {
                    case ErrnoException.ENOENT, ErrnoException.ENOTDIR, ErrnoException.ELOOP -> answer;
                    default -> throw failure;
                };
            }
        };
    }
}

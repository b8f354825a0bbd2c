package dev.slate.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.tree.posix.Posix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckoutIT {
    @TempDir
    private Path root;

    private ContentStore bodies;
    private Checkout checkout;

    @BeforeEach
    void openStore() throws IOException {
        bodies = ContentStore.open(root.resolve("bodies"));
        checkout = new Checkout(bodies, root.resolve("pool"));
    }

    @Test
    void makesADirectoryThatScansBackToTheSameTree() throws Exception {
        var tree = scan("""
                mkdir -p d/e empty; echo 1 > d/e/one; echo 2 > two; : > nothing
                chmod 4755 two; chown 1000:7 two d; chmod 1777 d; chmod 0 nothing
                ln -s 'a//b/' link; touch -h -d '2001-01-01 00:00:00.5' link; touch -d '1999-01-01' d/e/one d
                """);

        checkout.materialise(tree, root.resolve("out"));

        var again = TreeScanner.scan(root.resolve("out"), BodySink.digestOnly(), ScanLimits.DEFAULT);
        assertThat(again.tree()).isEqualTo(tree);
    }

    @Test
    void sharesEqualFilesBetweenCheckouts() throws Exception {
        var tree = scan("echo 1 > a");

        checkout.materialise(tree, root.resolve("one"));
        checkout.materialise(tree, root.resolve("two"));

        assertThat(Posix.stat(root.resolve("one/a")).inode())
                .isEqualTo(Posix.stat(root.resolve("two/a")).inode());
    }

    @Test
    void keepsFilesApartThatDifferInMetadataOnly() throws Exception {
        var tree = scan("echo 1 > a; cp -p a b; chmod 600 b");

        checkout.materialise(tree, root.resolve("out"));

        assertThat(Posix.stat(root.resolve("out/a")).inode())
                .isNotEqualTo(Posix.stat(root.resolve("out/b")).inode());
    }

    @Test
    void leavesNothingWhenABodyIsDamaged() throws Exception {
        var tree = scan("echo 1 > a");
        try (var files = Files.walk(root.resolve("bodies"))) {
            Files.write(files.filter(Files::isRegularFile).findFirst().orElseThrow(), new byte[] {'9', '\n'});
        }

        assertThatThrownBy(() -> checkout.materialise(tree, root.resolve("out")))
                .hasMessageContaining("damaged");
        try (var left = Files.list(root)) {
            assertThat(left.map(Path::getFileName).map(Path::toString))
                    .containsExactlyInAnyOrder("bodies", "pool", "source");
        }
    }

    private Tree scan(String script) throws Exception {
        var source = Files.createDirectories(root.resolve("source"));
        TestOverlay.sh(source, script);
        return TreeScanner.scan(source, bodies, ScanLimits.DEFAULT).tree();
    }
}

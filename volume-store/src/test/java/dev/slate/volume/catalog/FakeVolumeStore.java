package dev.slate.volume.catalog;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Keeps volumes in memory. */
public final class FakeVolumeStore implements VolumeStore {
    private final TreeMap<String, Volume> live = new TreeMap<>();
    private final Set<String> deleted = new HashSet<>();
    private final Map<String, List<Version>> versions = new HashMap<>();
    private final Map<String, Map<String, Long>> refs = new HashMap<>();
    private final Map<String, Map<String, Append.Repeated>> commits = new HashMap<>();

    @Override
    public synchronized boolean create(Volume volume) {
        if (live.putIfAbsent(key(volume.environment(), volume.name().value()), volume) != null) {
            return false;
        }
        versions.put(volume.id(), new ArrayList<>());
        refs.put(volume.id(), new HashMap<>(Map.of("main", 0L)));
        commits.put(volume.id(), new HashMap<>());
        return true;
    }

    @Override
    public synchronized Optional<Volume> find(String environment, VolumeName name) {
        return Optional.ofNullable(live.get(key(environment, name.value()))).map(this::current);
    }

    @Override
    public synchronized List<Volume> list(String environment, PageRequest page) {
        return live.tailMap(key(environment, page.after()), false).values().stream()
                .filter(volume -> volume.environment().equals(environment))
                .limit(page.fetch())
                .map(this::current)
                .toList();
    }

    @Override
    public synchronized boolean delete(String environment, VolumeName name, Instant now) {
        Volume removed = live.remove(key(environment, name.value()));
        return removed != null && deleted.add(removed.id());
    }

    @Override
    public synchronized Optional<Version> version(String volumeId, long number) {
        return versions.getOrDefault(volumeId, List.of()).stream()
                .filter(version -> version.number() == number)
                .findAny();
    }

    @Override
    public synchronized List<Version> versions(String volumeId, long below, int limit) {
        return versions.getOrDefault(volumeId, List.of()).reversed().stream()
                .filter(version -> version.number() < below)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized Optional<Long> ref(String volumeId, String name) {
        return Optional.ofNullable(refs.getOrDefault(volumeId, Map.of()).get(name));
    }

    @Override
    public synchronized Append append(NewVersion wanted) {
        String id = wanted.volumeId();
        if (deleted.contains(id) || !refs.containsKey(id)) {
            return new Append.Gone();
        }
        Optional<Append.Repeated> earlier = commit(id, wanted.commitId());
        if (earlier.isPresent()) {
            return earlier.get();
        }
        long head = ref(id, "main").orElseThrow();
        if (head != wanted.parent()) {
            return new Append.Moved(head);
        }
        List<Version> all = versions.computeIfAbsent(id, _ -> new ArrayList<>());
        Version version = wanted.numbered(all.size() + 1);
        all.add(version);
        refs.computeIfAbsent(id, _ -> new HashMap<>()).put("main", version.number());
        wanted.conflictRef()
                .ifPresent(
                        name -> refs.computeIfAbsent(id, _ -> new HashMap<>()).put(name, wanted.parent()));
        commits.computeIfAbsent(id, _ -> new HashMap<>())
                .put(wanted.commitId(), new Append.Repeated(wanted.request(), version));
        return new Append.Appended(version);
    }

    @Override
    public synchronized Optional<Append.Repeated> commit(String volumeId, String commitId) {
        return Optional.ofNullable(commits.getOrDefault(volumeId, Map.of()).get(commitId));
    }

    private Volume current(Volume volume) {
        long latest = ref(volume.id(), "main").orElseThrow();
        return new Volume(volume.id(), volume.environment(), volume.name(), latest, volume.createdAt());
    }

    private static String key(String environment, String name) {
        return environment + "/" + name;
    }
}

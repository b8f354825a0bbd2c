package dev.slate.runsc;

import java.util.List;

/** Who the first process runs as, in numbers: names are looked up in the image by the caller. */
public record ContainerUser(int uid, int gid, List<Integer> additionalGids) {

    public static final ContainerUser ROOT = new ContainerUser(0, 0, List.of());

    public ContainerUser {
        additionalGids = List.copyOf(additionalGids);
    }
}

package dev.slate.tree.layer;

/** How much a layer may hold before extraction refuses it: a small blob can unpack to a huge one. */
public record LayerLimits(long bytes, int entries) {
    /** 64 GiB of files, two million entries. */
    public static final LayerLimits DEFAULT = new LayerLimits(64L << 30, 2_000_000);
}

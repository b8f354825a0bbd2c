package dev.slate.tree;

/** How much a directory may hold before a scan refuses it, because its author is not trusted. */
public record ScanLimits(int entries, int depth) {
    /** Two million entries, 256 levels (one open descriptor a level). */
    public static final ScanLimits DEFAULT = new ScanLimits(2_000_000, 256);

    void check(int entriesSoFar, int depthNow, TreePath path) {
        if (entriesSoFar > entries) {
            throw new TreeException("scan: more than " + entries + " entries");
        }
        if (depthNow > depth) {
            throw new TreeException("scan: " + path + " (expected: at most " + depth + " levels)");
        }
    }
}

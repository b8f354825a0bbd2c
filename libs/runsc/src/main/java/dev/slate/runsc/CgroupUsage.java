package dev.slate.runsc;

/** What a container used so far, and how often the kernel stopped it at a limit. */
public record CgroupUsage(long cpuNanos, long memoryBytes, long tasks, long outOfMemoryKills, long taskLimitHits) {}

package dev.slate.runsc;

import java.nio.file.Path;

/** Where one controller of this host is found, and whether it speaks version 2. */
record CgroupController(String name, Path root, boolean unified) {}

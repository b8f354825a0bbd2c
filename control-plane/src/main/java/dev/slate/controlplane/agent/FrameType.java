package dev.slate.controlplane.agent;

/** Type bytes of the agent protocol (sandbox-agent/PROTOCOL.md). */
final class FrameType {
    static final int HELLO = 0x01;
    static final int HEALTH = 0x02;
    static final int START = 0x10;
    static final int ATTACH = 0x11;
    static final int STDIN_WRITE = 0x12;
    static final int STDIN_CLOSE = 0x13;
    static final int SIGNAL = 0x14;
    static final int LIST = 0x15;
    static final int REMOVE = 0x16;
    static final int RESIZE = 0x17;
    static final int TERMINATE = 0x18;
    static final int FILE_PUT = 0x20;
    static final int FILE_GET = 0x21;
    static final int FILE_STAT = 0x22;
    static final int FILE_LIST = 0x23;
    static final int FILE_MKDIR = 0x24;
    static final int FILE_REMOVE = 0x25;
    static final int FILE_RENAME = 0x26;
    static final int TAR_GET = 0x27;
    static final int TAR_PUT = 0x28;
    static final int WATCH = 0x29;
    static final int FILE_CHMOD = 0x2A;
    static final int DATA = 0x30;
    static final int DATA_END = 0x31;
    static final int DIAL = 0x40;

    static final int OK = 0x80;
    static final int ERROR = 0x81;
    static final int HEALTH_REPLY = 0x82;
    static final int EXECS = 0x83;
    static final int HEARTBEAT = 0x8F;
    static final int STARTED = 0x90;
    static final int STDOUT = 0x91;
    static final int STDERR = 0x92;
    static final int DROPPED = 0x93;
    static final int EXITED = 0x94;
    static final int SIGNALED = 0x95;
    static final int TIMED_OUT = 0x96;
    static final int FAILED = 0x97;
    static final int DATA_REPLY = 0xA0;
    static final int DATA_END_REPLY = 0xA1;
    static final int STAT = 0xA2;
    static final int ENTRIES = 0xA3;
    static final int CHANGE = 0xA4;

    private FrameType() {}
}

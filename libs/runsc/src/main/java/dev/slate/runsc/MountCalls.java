package dev.slate.runsc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Makes the system calls that mount. The newer ones have the same number on every architecture. */
final class MountCalls {

    static final long FSOPEN = 430;
    static final long FSCONFIG = 431;
    static final long FSMOUNT = 432;
    static final long MOVE_MOUNT = 429;
    static final long OPEN_TREE = 428;
    static final long MOUNT_SETATTR = 442;
    static final long UMOUNT2 = System.getProperty("os.arch").equals("amd64") ? 166 : 39;
    static final long CLOSE = System.getProperty("os.arch").equals("amd64") ? 3 : 57;
    static final long READ = System.getProperty("os.arch").equals("amd64") ? 0 : 63;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));

    private MountCalls() {}

    /** Makes the call and returns its result, or the negative error number. */
    static long call(long number, long first, long second, long third, long fourth, long fifth) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result = (long) SYSCALL.invokeExact(state, number, first, second, third, fourth, fifth);
            return result >= 0 ? result : -(int) ERRNO.get(state, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("system call " + number, e);
        }
    }

    static MemorySegment text(Arena arena, Object value) {
        return arena.allocateFrom(value.toString());
    }
}

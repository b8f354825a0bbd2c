package dev.slate.tree.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One function of the C library that answers -1 and sets errno when it fails. */
final class NativeFunction {
    private static final int EINTR = 4;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private final String name;
    private final MethodHandle handle;

    NativeFunction(String name, MemoryLayout result, MemoryLayout... arguments) {
        this.name = name;
        var symbol = LINKER.defaultLookup().findOrThrow(name);
        var descriptor = FunctionDescriptor.of(result, arguments);
        int count = arguments.length + 1;
        this.handle = LINKER.downcallHandle(symbol, descriptor, Linker.Option.captureCallState("errno"))
                .asType(MethodType.genericMethodType(count))
                .asSpreader(Object[].class, count);
    }

    /** Calls the function; paths and strings become C strings. The first path names the file in a failure. */
    long call(Object... arguments) throws ErrnoException {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            var all = new Object[arguments.length + 1];
            all[0] = state;
            for (int i = 0; i < arguments.length; i++) {
                all[i + 1] = toNative(arena, arguments[i]);
            }
            long result;
            int errno;
            do {
                result = ((Number) (Object) handle.invokeExact(all)).longValue();
                errno = (int) ERRNO.get(state, 0L);
            } while (result == -1 && errno == EINTR);
            if (result == -1) {
                throw new ErrnoException(name, subject(arguments), errno, text(errno));
            }
            return result;
        } catch (ErrnoException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(name, e);
        }
    }

    private static Object toNative(Arena arena, Object argument) {
        return switch (argument) {
            case Path path -> arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
            case String string -> arena.allocateFrom(string, StandardCharsets.UTF_8);
            default -> argument;
        };
    }

    private static String subject(Object... arguments) {
        for (var argument : arguments) {
            if (argument instanceof Path path) {
                return path.toString();
            }
        }
        return "";
    }

    private static String text(int errno) throws Throwable {
        var text = (MemorySegment) STRERROR.invokeExact(errno);
        return text.reinterpret(256).getString(0);
    }
}

package dev.slate.cli.sandbox;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/** Columns and rows of the terminal that standard input is. */
record WindowSize(int columns, int rows) {

    private static final WindowSize USUAL = new WindowSize(80, 24);
    private static final long TIOCGWINSZ =
            System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? 0x40087468L : 0x5413L;
    private static final MethodHandle IOCTL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("ioctl"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(2));

    /** The size now; 80 by 24 where the terminal does not know. */
    static WindowSize now() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(8, 2);
            if ((int) IOCTL.invokeExact(0, TIOCGWINSZ, size) != 0) {
                return USUAL;
            }
            var rows = Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 0));
            var columns = Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 2));
            return rows == 0 || columns == 0 ? USUAL : new WindowSize(columns, rows);
        } catch (Throwable e) {
            throw new IllegalStateException("ioctl failed", e);
        }
    }
}

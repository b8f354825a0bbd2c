package dev.slate.e2e.stack;

import dev.slate.sdk.Slate;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one {@link Platform} that all of them share, and a {@link Slate} client with the owner's rights. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnPlatform.Parameters.class)
public @interface OnPlatform {
    /** Starts the platform for the first test that needs it and stops it after the last. */
    final class Parameters implements ParameterResolver {
        private static final int PORT = 17180;
        private static final String SUBNET = "10.232";
        private static final String OUTSIDE = "10.233.77.1";

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            Class<?> type = parameter.getParameter().getType();
            return type == Platform.class || type == Slate.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            Running running = context.getRoot()
                    .getStore(ExtensionContext.Namespace.GLOBAL)
                    .computeIfAbsent(Running.class, _ -> Running.start(), Running.class);
            return parameter.getParameter().getType() == Slate.class ? running.slate() : running.platform();
        }

        /** What is stopped after the last test. */
        private record Running(Platform platform, Slate slate, Outside outside) implements AutoCloseable {
            static Running start() {
                Outside outside = Outside.start(Platform.repository().resolve("e2e-tests/target/e2e/outside"), OUTSIDE);
                Platform platform = new Platform(PORT, SUBNET, outside);
                try {
                    platform.up();
                    return new Running(platform, platform.slate(), outside);
                } catch (RuntimeException | Error failure) {
                    outside.close();
                    throw failure;
                }
            }

            @Override
            public void close() {
                try (outside;
                        platform) {
                    slate.close();
                }
            }
        }
    }
}

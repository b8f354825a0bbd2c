package dev.slate.common.rest;

import dev.slate.common.auth.Authentication;
import dev.slate.common.error.PlatformException;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.ext.Provider;

/** Lets only callers with a valid token reach {@link Authenticated} resources. */
@Provider
@Authenticated
@Priority(Priorities.AUTHENTICATION)
public class CallerFilter implements ContainerRequestFilter {
    // Filters are made while the application is built into its start state; settings and keys come later.
    private final Instance<Authentication> authentication;
    private final RequestCaller caller;

    CallerFilter(Instance<Authentication> authentication, RequestCaller caller) {
        this.authentication = authentication;
        this.caller = caller;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        try {
            caller.set(authentication
                    .get()
                    .authenticate(
                            request.getHeaderString(HttpHeaders.AUTHORIZATION),
                            request.getHeaderString("x-slate-env-id")));
        } catch (PlatformException refused) {
            request.abortWith(ProblemMapper.response(refused.code(), String.valueOf(refused.getMessage())));
        }
    }
}

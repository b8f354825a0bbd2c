create table exec (
    sandbox        text        not null,
    id             text        not null,
    environment    text        not null,
    -- Words with a NUL between them, up to a limit.
    command        bytea       not null,
    command_cut    boolean     not null,
    -- Of the whole request; empty for a command that was found in a sandbox without a record.
    request_digest text        not null,
    workdir        text        not null,
    run_as         text        not null,
    terminal       boolean     not null,
    -- 0 for none.
    timeout_ms     bigint      not null,
    started_at     timestamptz not null,
    -- RUNNING, EXITED, SIGNALED, TIMED_OUT, NOT_STARTED or LOST.
    state          text        not null,
    -- The exit code or the signal.
    code           integer     not null,
    message        text        not null,
    -- Place of the end in the log; 0 if unknown.
    end_sequence   bigint      not null,
    ended_at       timestamptz,
    primary key (sandbox, id)
);

create index exec_newest on exec (sandbox, started_at desc, id);
create index exec_running on exec (sandbox, id) where state = 'RUNNING';

create table sandbox (
    id                text primary key,
    environment       text        not null,
    name              text,
    request_id        text        not null,
    spec_digest       text        not null,
    spec              bytea       not null,
    -- RUNNING or ENDED: what should be.
    desired           text        not null,
    -- What was last seen to be.
    observed          text        not null,
    -- Set together with desired = ENDED; the first wish counts.
    end_cause         text,
    end_message       text,
    created_at        timestamptz not null,
    started_at        timestamptz,
    ended_at          timestamptz,
    expires_at        timestamptz not null,
    -- Nothing of it is left on any node.
    released          boolean     not null,
    image_digest      text,
    policy            bytea,
    policy_generation bigint      not null,
    -- One line VARIABLE=placeholder for each credential.
    placeholders      text        not null,
    mount_results     bytea       not null
);

create unique index sandbox_request on sandbox (environment, request_id);
create unique index sandbox_live_name on sandbox (environment, name) where ended_at is null and name is not null;
create index sandbox_newest on sandbox (environment, created_at desc, id);
create index sandbox_expiry on sandbox (expires_at) where desired = 'RUNNING';
create index sandbox_unreleased on sandbox (id) where not released;

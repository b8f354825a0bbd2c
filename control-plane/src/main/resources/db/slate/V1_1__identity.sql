create table environment (
    id         varchar(36) primary key,
    team       text        not null,
    project    text        not null,
    name       text        not null,
    created_at timestamptz not null,
    unique (team, project, name)
);

create table service_token (
    client_id   varchar(64) primary key,
    environment varchar(36) not null references environment (id),
    description text        not null,
    permissions text        not null,
    secret_hash varchar(64) not null,
    created_by  text        not null,
    created_at  timestamptz not null,
    revoked_at  timestamptz
);

create index service_token_by_environment on service_token (environment, client_id);

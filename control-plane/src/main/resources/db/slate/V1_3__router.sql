create table gateway_key (
    hash        varchar(64) primary key,
    environment varchar(36) not null references environment (id),
    prefix      varchar(16) not null,
    description text        not null,
    created_by  text        not null,
    created_at  timestamptz not null,
    revoked_at  timestamptz
);

create index gateway_key_by_environment on gateway_key (environment, hash);

create table model_connection (
    id           varchar(36) primary key,
    environment  varchar(36)  not null references environment (id),
    name         varchar(40)  not null,
    base_url     text         not null,
    model_prefix varchar(100) not null,
    key_envelope bytea,
    created_at   timestamptz  not null,
    unique (environment, name),
    unique (environment, model_prefix)
);

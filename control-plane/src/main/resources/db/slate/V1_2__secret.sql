create table secret (
    id          varchar(36) primary key,
    environment varchar(36)  not null references environment (id),
    name        varchar(128) not null,
    envelope    bytea        not null,
    created_at  timestamptz  not null,
    updated_at  timestamptz  not null,
    unique (environment, name)
);

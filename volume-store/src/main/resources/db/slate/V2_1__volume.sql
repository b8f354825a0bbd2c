CREATE TABLE volume (
    id text PRIMARY KEY,
    environment text NOT NULL,
    name text NOT NULL,
    last_number bigint NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz
);

CREATE UNIQUE INDEX volume_live_name ON volume (environment, name) WHERE deleted_at IS NULL;

CREATE TABLE volume_version (
    volume_id text NOT NULL REFERENCES volume (id),
    number bigint NOT NULL,
    parent bigint NOT NULL,
    tree text NOT NULL,
    files bigint NOT NULL,
    bytes bigint NOT NULL,
    author text NOT NULL,
    conflicts text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (volume_id, number)
);

CREATE TABLE volume_ref (
    volume_id text NOT NULL REFERENCES volume (id),
    name text NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (volume_id, name)
);

CREATE TABLE volume_commit (
    volume_id text NOT NULL REFERENCES volume (id),
    commit_id text NOT NULL,
    request text NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (volume_id, commit_id)
);

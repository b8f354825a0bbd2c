-- The image that a recipe made. Rows are written last: all blobs are in the layout by then.
create table image (
    environment text not null,
    recipe_digest text not null,
    manifest_digest text not null,
    size_bytes bigint not null,
    layers integer not null,
    created_at timestamp with time zone not null,
    primary key (environment, recipe_digest)
);

create index image_manifest on image (environment, manifest_digest);

-- The layer that a step made.
create table image_step (
    environment text not null,
    step_key text not null,
    diff_id text not null,
    blob_digest text not null,
    blob_size bigint not null,
    compression text not null,
    created_at timestamp with time zone not null,
    primary key (environment, step_key)
);

-- Which image a base meant when it was resolved; the same for all environments.
create table image_base (
    base_key text primary key,
    manifest_digest text not null,
    resolved_at timestamp with time zone not null
);

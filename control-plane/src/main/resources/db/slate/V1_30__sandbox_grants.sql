-- What a sandbox may reach for some time beside its policy.
alter table sandbox add column grants bytea not null default '';
alter table sandbox add column grants_until timestamptz;

create index sandbox_grants on sandbox (grants_until) where desired = 'RUNNING' and grants_until is not null;

-- Records of commands do not wait for the disk. No transaction writes to this table and to others.
create function commit_without_waiting() returns trigger language plpgsql as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    return null;
end
$$;

create trigger exec_without_waiting before insert or update on exec
    for each statement execute function commit_without_waiting();

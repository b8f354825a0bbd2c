//! User and group names, read from the files of the image (static glibc cannot load its name service modules).

use std::fs;

#[derive(Debug, PartialEq)]
pub struct Identity {
    pub uid: u32,
    pub gid: u32,
    pub groups: Vec<u32>,
    pub home: Option<String>,
}

/// Resolves `name`, `uid`, `name:group` or `uid:gid`, each part by name or number.
pub fn resolve(specification: &str) -> Result<Identity, String> {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let group = fs::read_to_string("/etc/group").unwrap_or_default();
    resolve_in(specification, &passwd, &group)
}

/// The home folder of a user id, if the image knows it.
pub fn home_of(uid: u32) -> Option<String> {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    resolve_in(&uid.to_string(), &passwd, "").ok()?.home
}

fn resolve_in(specification: &str, passwd: &str, group: &str) -> Result<Identity, String> {
    let (user, wanted_group) = match specification.split_once(':') {
        Some((user, group)) => (user, Some(group)),
        None => (specification, None),
    };
    let account = passwd
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.len() >= 6 && (fields[0] == user || fields[2] == user));
    let number = |text: &str| text.parse::<u32>().ok();
    let (uid, own_gid) = match &account {
        Some(fields) => (number(fields[2]), number(fields[3])),
        None => (number(user), Some(0)),
    };
    let uid = uid.ok_or_else(|| format!("user: {user} (expected: a number or a name in /etc/passwd)"))?;

    let rows = || group.lines().map(|line| line.split(':').collect::<Vec<_>>()).filter(|fields| fields.len() >= 4);
    let gid = match wanted_group {
        Some(name) => rows().find(|fields| fields[0] == name).map_or(number(name), |fields| number(fields[2])),
        None => own_gid,
    };
    let gid = gid.ok_or_else(|| format!("group of {specification} (expected: a number or a name in /etc/group)"))?;

    let name = account.as_ref().map_or("", |fields| fields[0]);
    let mut groups = vec![gid];
    if wanted_group.is_none() && !name.is_empty() {
        let others = rows().filter(|fields| fields[3].split(',').any(|member| member == name));
        groups.extend(others.filter_map(|fields| number(fields[2])).filter(|other| *other != gid));
    }
    let home = account.map(|fields| fields[5].to_string()).filter(|home| !home.is_empty());
    Ok(Identity { uid, gid, groups, home })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1001:Ann:/home/ann:/bin/sh\n";
    const GROUP: &str = "root:x:0:\nann:x:1001:\nwheel:x:10:ann,bob\n";

    #[test]
    fn name_brings_its_groups_and_home() {
        let identity = resolve_in("ann", PASSWD, GROUP).unwrap();

        assert_eq!(identity.uid, 1000);
        assert_eq!(identity.groups, [1001, 10]);
        assert_eq!(identity.home.as_deref(), Some("/home/ann"));
        assert_eq!(resolve_in("1000", PASSWD, GROUP).unwrap(), identity);
    }

    #[test]
    fn explicit_group_replaces_the_others() {
        let identity = resolve_in("ann:wheel", PASSWD, GROUP).unwrap();

        assert_eq!((identity.gid, identity.groups), (10, vec![10]));
    }

    #[test]
    fn unknown_number_is_used_as_it_is_and_unknown_name_is_refused() {
        let identity = resolve_in("4242:17", PASSWD, GROUP).unwrap();

        assert_eq!((identity.uid, identity.gid, identity.home), (4242, 17, None));
        assert!(resolve_in("nobody-here", PASSWD, GROUP).is_err());
        assert!(resolve_in("ann:no-group", PASSWD, GROUP).is_err());
    }
}

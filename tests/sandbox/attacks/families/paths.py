"""Try to open, change or execute every path that is visible inside the sandbox."""

from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        name="every file there is",
        source="""
quietly('''
known = ('/usr/lib', '/lib', '/opt/stepgrad/', '/etc/ld.so.cache', '/sys/devices/system/cpu', '/dev/null', '/dev/zero',
         '/dev/random', '/dev/urandom')
writable, unknown, seen = [], [], 0
roots = [root for name in 'bin boot dev etc home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var'.split()
         for root in ('/' + name, f'/{name}/lib', f'/{name}/stepgrad', f'/{name}/devices/system/cpu')]
for place, folders, files in (each for root in roots for each in os.walk(root)):
    seen += len(files)
    for name in folders + files:
        path = os.path.join(place, name)
        if name in files and not path.startswith(known): unknown.append(path)
        if os.access(path, os.W_OK) and not os.path.realpath(path).startswith('/dev/') and not refusal(os.open, path, os.O_WRONLY):
            writable.append(path)
print(unknown[:20], writable[:20], seen > 1_000)
if unknown or writable: print('BREACH')
''')
""",
        says="True",
        limits={"cpu_seconds": 30},
        long=True,
    ),
    Attack(
        name="names that are not shown",
        source="""
for path in '''
/proc/1/root /dev/tty /dev/ptmx /dev/kmsg
/dev/mem /dev/kvm /dev/fuse /dev/net/tun /dev/shm/x /dev/mqueue /sys/kernel/debug /sys/fs/cgroup /sys/fs/bpf
/sys/firmware /run/user /run/docker.sock /var/run/docker.sock /tmp/../etc/passwd /opt/stepgrad/../../etc/passwd
/etc/resolv.conf /usr/bin/env /bin/sh /.dockerenv /oldroot /newroot /lost+found
'''.split():
    attempt(path, os.open, path, os.O_RDONLY | os.O_NONBLOCK)
attempt('up', lambda: [os.chdir('..') for _ in range(50)] and open('etc/passwd'))
attempt('handle', lambda: os.open('../../../../etc/passwd', os.O_RDONLY, dir_fd=os.open('/usr/lib', os.O_PATH)))
""",
    ),
]

"""Attacks that try every option of some system calls, of which the sandbox must allow only harmless ones."""

from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        name="prctl",
        source="""
quietly('''
answered = [option for option in (*range(1, 90), 0x53564D41, 0x59616D61, 0x47, 0x41555856)
            if refusal(kernel, 'prctl', option, 0, 0, 0, 0) not in ('EPERM',)]
print(answered)
''')
""",
        says=r"^\[15, 16\]",
    ),
    Attack(
        name="fcntl",
        source="""
quietly('''
for fd in (0, 1, 2, 4):
    print([option for option in range(1100) if option != 7 and refusal(kernel, 'fcntl', fd, option, 0) not in ('EPERM', 'EINVAL')])
''')
""",
        says=r"^(\[0, 1, 2, 3, 4, 5, 6, 36, 37, 38, 1030, 1032\].){4}",
    ),
    Attack(
        name="ioctl",
        source="""
quietly('''
for fd in (0, 1, 2, 4):
    print([hex(option) for option in (*range(0x5400, 0x5500), *range(0x1200, 0x1300), 0x40049409, 0x5877, 0x5878, 0xC0045877)
           if refusal(kernel, 'ioctl', fd, option, 0) != 'ENOTTY'])
''')
""",
        says=r"^\['0x5421', '0x5450', '0x5451'\].(\['0x541b', '0x5421', '0x5450', '0x5451'\].){3}",
    ),
    *(
        Attack(
            name=f"clone with bit {bit} alone",
            source=f"""
made = refusal(kernel, 'clone', {1 << bit} | 17, 0, 0, 0, 0)
if not made and kernel('getpid') == 1: print('BREACH')
print(made)
""",
            ends="finished|crashed SIGSYS",
            long=True,
        )
        for bit in range(8, 40)
    ),
]

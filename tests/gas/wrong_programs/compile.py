"""Makes each mistake of mistakes.txt in its right program and compiles it: the first error must be
the message that the mistake is to give, and no other error may follow. Programs that are still
right must compile."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def read(path):
    """→ [(base, title, [(old, new)], the line of what is expected)], None where it stays right."""
    mistakes = []
    previous = ''
    for line in path.read_text().splitlines():
        if not line or line.startswith('#'):
            continue
        if line.startswith('['):
            base, title = re.fullmatch(r'\[(\w+)\] (.+)', line).groups()
            mistakes.append([base, title, [], None])
        elif line.startswith('- '):
            if previous.startswith('- '):
                mistakes[-1][2][-1][0] += '\n' + line[2:]
            else:
                mistakes[-1][2].append([line[2:], ''])
        elif line.startswith('+'):
            mistakes[-1][2][-1][1] += line[2:] + '\n'
        elif line.startswith(('? ', '?+ ')):
            mistakes[-1][3] = line
        else:
            sys.exit(f'{path}: not understood: {line}')
        previous = line
    return mistakes


def make(source, changes, title):
    for old, new in changes:
        if source.count(old) != 1:
            sys.exit(f'{title}: {source.count(old)} places hold: {old}')
        source = source.replace(old, new.rstrip('\n'))
    return source


def fault(result, expected):
    errors = re.findall(r'(?:error|warning): (.*)', result.stderr)
    if expected is None:
        return None if result.returncode == 0 and not errors else 'does not compile'
    if result.returncode == 0:
        return 'compiles'
    mark, message = expected.split(' ', 1)
    if not errors or message not in errors[0]:
        return f'the first error is not: {message}'
    if len(errors) > 1 and mark == '?':
        return f'{len(errors)} errors, of which the first would do'
    lines = result.stderr.count('\n')
    return f'{lines} lines of errors' if lines > 40 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--list', action='store_true', help='the first error of each')
    parser.add_argument('--only', default='', metavar='REGEX', help='those whose title it matches')
    parser.add_argument('compiler', nargs='+', help='and its options')
    options = parser.parse_args()
    here = pathlib.Path(__file__).parent
    command = [*options.compiler, '-fsyntax-only']
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder, 'engine.hpp')
        header.write_text('#include "gas/engine/engine.hpp"\n')
        subprocess.run([*options.compiler, '-x', 'c++-header', header, '-o', f'{header}.gch'],
                       check=True)

        def compile(mistake):
            base, title, changes, expected = mistake
            source = make((here / f'{base}.cpp').read_text(), changes, title)
            return subprocess.run([*command, '-include', header, '-x', 'c++', '-'], input=source,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        mistakes = [mistake for mistake in read(here / 'mistakes.txt')
                    if re.search(options.only, f'{mistake[0]}: {mistake[1]}')]
        if not mistakes:
            parser.error(f'--only: no title matches {options.only}')
        faults = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for mistake, result in zip(mistakes, pool.map(compile, mistakes)):
                base, title, _, expected = mistake
                if options.list:
                    first = re.search(r'error: (.*)', result.stderr)
                    print(f'{base}: {title}: {first[1] if first else "compiles"} '
                          f'({result.stderr.count(chr(10))} lines)')
                if why := fault(result, expected):
                    faults += 1
                    print(f'[{base}] {title}: {why}\n{result.stderr}')
    print(f'{len(mistakes)} programs, {faults} faults')
    sys.exit(1 if faults or not mistakes else 0)


main()

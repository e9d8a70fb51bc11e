"""Makes each mistake of mistakes.txt in its right program and compiles it: the first error must be
the message that the mistake is to give, and no other error may follow. Programs that are still
right must compile. Several are compiled at once, each in a namespace; one that does not do as it
should is compiled again alone, and judged by that."""
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


def fault(text, expected):
    errors = re.findall(r'(?:error|warning): (.*)', text)
    if expected is None:
        return 'does not compile' if errors else None
    if not errors:
        return 'compiles'
    mark, message = expected.split(' ', 1)
    if message not in errors[0]:
        return f'the first error is not: {message}'
    if len(errors) > 1 and mark == '?':
        return f'{len(errors)} errors, of which the first would do'
    lines = text.count('\n')
    return f'{lines} lines of errors' if lines > 40 else None


def by_program(text, count):
    """What the compiler says of each: lines belong to the program that was named last."""
    of = [''] * count
    at = 0
    for line in text.splitlines(keepends=True):
        if named := re.search(r'\bmistake_(\d+)(?:::|\.cpp)', line):
            at = int(named[1])
        of[at] += line
    return of


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

        def compile(sources):
            """→ what the compiler says of each."""
            includes = {line for source in sources for line in re.findall('^#include.*', source, re.M)}
            text = '\n'.join(sorted(includes)) + '\n'
            for i, source in enumerate(sources):
                source = re.sub('^#include.*', '', source, flags=re.M)
                text += f'namespace mistake_{i} {{\n#line 1 "mistake_{i}.cpp"\n{source}\n}}\n'
            said = subprocess.run([*command, '-include', header, '-x', 'c++', '-'], input=text,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            texts = by_program(said.stderr, len(sources))
            if said.returncode != 0 and 'error: ' not in said.stderr:
                texts = [f'{text}error: the compiler ended with {said.returncode}\n'
                         for text in texts]
            return texts

        def judge(some):
            sources = [make((here / f'{base}.cpp').read_text(), changes, title)
                       for base, title, changes, _ in some]
            texts = compile(sources)
            for i, (_, _, _, expected) in enumerate(some):
                if fault(texts[i], expected):
                    texts[i] = compile([sources[i]])[0]
            return texts

        mistakes = [mistake for mistake in read(here / 'mistakes.txt')
                    if re.search(options.only, f'{mistake[0]}: {mistake[1]}')]
        if not mistakes:
            parser.error(f'--only: no title matches {options.only}')
        # An error that ends the compiler hides what follows: right programs are by themselves.
        mistakes.sort(key=lambda mistake: mistake[3] is None)
        wrong = sum(mistake[3] is not None for mistake in mistakes)
        together = [some[i:i + 42] for some in (mistakes[:wrong], mistakes[wrong:])
                    for i in range(0, len(some), 42)]
        faults = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            texts = [text for some in pool.map(judge, together) for text in some]
        for (base, title, _, expected), text in zip(mistakes, texts):
            if options.list:
                first = re.search(r'error: (.*)', text)
                print(f'{base}: {title}: {first[1] if first else "compiles"} '
                      f'({text.count(chr(10))} lines)')
            if why := fault(text, expected):
                faults += 1
                print(f'[{base}] {title}: {why}\n{text}')
    print(f'{len(mistakes)} programs, {faults} faults')
    sys.exit(1 if faults or not mistakes else 0)


main()

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Entries of the package, by the names under which others import them. */
const ENTRIES = { tradepost: 'dist/src/index.d.ts', 'tradepost/testing': 'dist/src/testing/index.d.ts' };
const OWN = resolve('dist/src');

/**
 * What plugins and programs that embed the service see: each name that an entry exports, and each type of ours that these
 * reach, as the compiler declares it, without comments. One declaration is one line or more, in the order of their names.
 */
export function publicTypes(): string {
  for (const path of Object.values(ENTRIES))
    if (!existsSync(path)) throw new Error(`${path} is not built: run node scripts/ensure-built.mjs`);
  const program = ts.createProgram(Object.values(ENTRIES), {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
    skipLibCheck: true,
    noEmit: true,
  });
  const reader = new Reader(program.getTypeChecker());
  const sections = Object.entries(ENTRIES).map(([name, path]) => {
    const exported = reader.read(program.getSourceFile(path)!);
    return `== exported by ${name} ==\n\n${exported.join('\n\n')}\n`;
  });
  return `${sections.join('\n')}\n== reached by these ==\n\n${reader.rest().join('\n\n')}\n`;
}

class Reader {
  private readonly known = new Set<ts.Symbol>();
  private readonly waiting = new Set<ts.Symbol>();

  constructor(private readonly checker: ts.TypeChecker) {}

  /** The exports of an entry. */
  read(entry: ts.SourceFile): string[] {
    const module = this.checker.getSymbolAtLocation(entry)!;
    const exported = this.checker.getExportsOfModule(module).map((symbol) => ({
      name: symbol.name,
      target: this.targetOf(symbol),
    }));
    for (const { target } of exported) this.known.add(target);
    return exported
      .map(({ name, target }) => this.textOf(target, name === target.name ? '' : `${name} = `))
      .toSorted(byCode);
  }

  /** What they reach, which no entry exports. */
  rest(): string[] {
    const texts: string[] = [];
    for (const symbol of this.waiting) {
      // A set goes on with what is added meanwhile.
      if (this.known.has(symbol)) continue;
      this.known.add(symbol);
      texts.push(this.textOf(symbol, ''));
    }
    return texts.toSorted(byCode);
  }

  private textOf(symbol: ts.Symbol, prefix: string): string {
    const declarations = (symbol.declarations ?? []).filter(isOwn);
    for (const declaration of declarations) this.visit(declaration);
    const texts = declarations.map((declaration) =>
      ts.isSourceFile(declaration)
        ? `module ${relative(OWN, declaration.fileName)}`
        : textOf(statementOf(declaration)),
    );
    return prefix + texts.join('\n');
  }

  private visit(node: ts.Node): void {
    if (ts.isSourceFile(node)) {
      const module = this.checker.getSymbolAtLocation(node)!;
      for (const symbol of this.checker.getExportsOfModule(module)) this.waiting.add(this.targetOf(symbol));
      return;
    }
    if (ts.isIdentifier(node)) this.note(this.checker.getSymbolAtLocation(node));
    if (ts.isImportTypeNode(node) && node.qualifier !== undefined)
      this.note(this.checker.getSymbolAtLocation(node.qualifier));
    ts.forEachChild(node, (child) => this.visit(child));
  }

  /** Of what a file of ours declares: neither members nor parameters, which their declarations show. */
  private note(found: ts.Symbol | undefined): void {
    const symbol = found && this.targetOf(found);
    const isOfFile = symbol?.declarations?.some(
      (each) => isOwn(each) && !ts.isSourceFile(each) && ts.isSourceFile(statementOf(each).parent),
    );
    if (isOfFile === true) this.waiting.add(symbol!);
  }

  private targetOf(symbol: ts.Symbol): ts.Symbol {
    return (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

function isOwn(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(join(OWN, '/'));
}

/** With `export declare` before it: of a variable the whole statement. */
function statementOf(node: ts.Node): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node;
}

const printer = ts.createPrinter({ removeComments: true });

/** What is private says nothing but that it is there; only a constructor that is tells others what they cannot do. */
const PRIVATE = /^ +private (?!constructor).*\n/gm;

function textOf(node: ts.Node): string {
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(PRIVATE, '');
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * What a change of the public types is: `additive` where all that was declared is declared as before, and nothing that is new
 * must be there where others implement it; else `breaking`.
 */
export function changeOf(before: string, after: string): 'none' | 'additive' | 'breaking' {
  if (before === after) return 'none';
  const known = after.split('\n\n').map((text) => text.split('\n'));
  const isKept = before
    .split('\n\n')
    .every((text) => known.some((lines) => extendsIt(lines, text.split('\n'))));
  return isKept ? 'additive' : 'breaking';
}

/** Whether a declaration has all lines of another, in order, and beside these only members that nobody else must have. */
function extendsIt(lines: readonly string[], before: readonly string[]): boolean {
  const mayBeNew = before[0]!.includes(' class ') ? /^ +(?! |abstract )/ : /^ +(?:readonly )?\w+\?/;
  let at = 0;
  for (const line of lines) {
    if (line === before[at]) at++;
    else if (!mayBeNew.test(line)) return false;
  }
  return at === before.length;
}

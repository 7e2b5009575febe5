import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  types: ['node'],
};

/** Types that openapi-typescript made from a document, in their own folder. */
export class ApiTypes {
  /** Declarations shared by all sources are parsed once. */
  private readonly declarations = new Map<string, ts.SourceFile>();

  private constructor(
    private readonly folder: string,
    private readonly path: string,
  ) {}

  static async make(document: object): Promise<ApiTypes> {
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-types-'));
    const path = join(folder, 'api.d.ts');
    const nodes = await openapiTS(document as Parameters<typeof openapiTS>[0]);
    await writeFile(path, astToString(nodes));
    return new ApiTypes(folder, path);
  }

  /** The compiler's errors for a source file in which `tradepost-api` stands for these types. */
  complaintsAbout(source: string): string[] {
    const options = { ...OPTIONS, paths: { 'tradepost-api': [this.path] } };
    const host = ts.createCompilerHost(options);
    const parse = host.getSourceFile.bind(host);
    host.getSourceFile = (name, ...rest) => {
      const known = this.declarations.get(name);
      if (known !== undefined) return known;
      const file = parse(name, ...rest);
      if (file?.isDeclarationFile) this.declarations.set(name, file);
      return file;
    };
    const program = ts.createProgram([resolve(source)], options, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }

  /** The same for the text of a source file that imports nothing else. */
  async complaintsAboutText(text: string): Promise<string[]> {
    const path = join(this.folder, 'source.ts');
    await writeFile(path, text);
    return this.complaintsAbout(path);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

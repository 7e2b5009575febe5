/** Sets of values that only the whole application knows, by the names of their schemas in the document. */
export class DeclaredValues {
  constructor(readonly bySchema: Readonly<Record<string, readonly string[]>>) {}
}

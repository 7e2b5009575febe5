import { formatId, parseId, type IdPrefix } from './ids.js';

/**
 * A prefix of public ids that a plugin adds, such as `lyp` for `lyp_0000000001C`: declare it once as a constant and list
 * it in `idPrefixes` of the plugin. The numbers come from a sequence of the plugin's own tables.
 */
export class PluginIdPrefix {
  constructor(readonly prefix: string) {}

  format(sequence: number): string {
    return formatId(this.prefix as IdPrefix, sequence);
  }

  /** `undefined` for text that is not an id of this prefix. */
  parse(text: string): number | undefined {
    return parseId(this.prefix as IdPrefix, text);
  }
}

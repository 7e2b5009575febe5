const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const NAME_LENGTH_MAX = 40;

/** What a plugin may be called, for messages. */
export const PLUGIN_NAME_RULE = `text of at most ${NAME_LENGTH_MAX} characters such as acme-loyalty: lower-case words with hyphens between`;

export function isPluginName(value: unknown): boolean {
  return typeof value === 'string' && NAME.test(value) && value.length <= NAME_LENGTH_MAX;
}

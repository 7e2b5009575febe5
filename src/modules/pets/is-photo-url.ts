import { ValidateBy, buildMessage } from 'class-validator';

const LENGTH_MAX = 2_048;
const WEB_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);
/** Only serves to read relative addresses. */
const SOME_ORIGIN = 'https://pets.invalid';

/**
 * A list of web addresses, absolute or relative: Petstore's own examples say just `string`. `javascript:`, `data:`
 * and their like are refused, since pages will use the addresses as they are.
 */
export function ArePhotoUrls(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'arePhotoUrls',
      validator: {
        validate: isPhotoUrl,
        defaultMessage: buildMessage(
          (eachPrefix) =>
            `${eachPrefix}$property must be a web address of at most ${LENGTH_MAX} characters, such as "https://example.com/rex.jpg"`,
          { each: true },
        ),
      },
    },
    { each: true },
  );
}

function isPhotoUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || value.length > LENGTH_MAX) return false;
  return WEB_PROTOCOLS.has(URL.parse(value, SOME_ORIGIN)?.protocol ?? '');
}

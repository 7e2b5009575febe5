const HARDENED = 0x8000_0000;
const STEP = /^(\d{1,10})('?)$/;

/** The child numbers of a BIP-32 path such as `m/44'/60'/0'/0/0`. Throws a RangeError for anything else. */
export function parsePath(path: string): number[] {
  const [root, ...steps] = path.split('/');
  if (root !== 'm') throw new RangeError(`${path} is no derivation path`);
  return steps.map((step) => {
    const [, digits, mark] = STEP.exec(step) ?? [];
    const index = Number(digits);
    if (!(index < HARDENED)) throw new RangeError(`${path} is no derivation path`);
    return mark === "'" ? index + HARDENED : index;
  });
}

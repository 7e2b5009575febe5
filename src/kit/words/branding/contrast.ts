/** Contrast as WCAG 2 counts it. */

/** Six hexadecimal digits, such as `#1d4ed8`: nothing that would need a browser to be understood. */
export const COLOUR = /^#[0-9a-f]{6}$/i;

/** Text that is not large needs as much (WCAG 2, 1.4.3, level AA). */
export const CONTRAST_MIN = 4.5;

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

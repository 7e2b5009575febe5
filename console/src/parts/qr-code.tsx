import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { encodeQR } from 'qr';

interface QrCodeProps {
  /** What screen readers call it. */
  readonly label: string;
  readonly text: string;
}

/** Dark on light in every theme, since many readers want it so. */
export function QrCode({ label, text }: QrCodeProps): JSX.Element {
  const rows = useMemo(() => encodeQR(text, 'raw', { border: 2 }), [text]);
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${rows.length} ${rows.length}`}>
      <path class="light" d={`M0 0h${rows.length}v${rows.length}h-${rows.length}z`} />
      <path d={squares.join('')} />
    </svg>
  );
}

import { describe, expect, it } from 'vitest';
import { html } from './html.js';

describe('html', () => {
  it('escapes what is text, in content and in attributes alike', () => {
    const text = `<a href="x" title='y'>&amp;</a>`;
    expect(html`<p title="${text}">${text}</p>`.markup).toBe(
      '<p title="&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;">' +
        '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;</p>',
    );
  });

  it('takes markup as it is, lists joined, and null as nothing', () => {
    const items = ['a', '<'].map((item) => html`<i>${item}</i>`);
    expect(html`<b>${items}</b>${null}`.markup).toBe('<b><i>a</i><i>&lt;</i></b>');
  });

  it('reads no escapes and no placeholders in what it is given', () => {
    expect(html`${'\\n $& ${1}'}`.markup).toBe('\\n $&amp; ${1}');
  });
});

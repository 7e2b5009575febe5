import { html } from '../../../content/html.js';
import type { ApiTexts } from '../api-texts.js';
import type { Audience } from '../audiences.js';

/** The pages of Swagger UI, the one that most readers need first. */
export const PAGES: readonly {
  readonly name: string;
  readonly title: string;
  readonly audiences: readonly Audience[];
}[] = [
  { name: 'customers', title: 'Public and trading', audiences: ['public', 'trading'] },
  { name: 'operators', title: 'Operators', audiences: ['operator'] },
  { name: 'all', title: 'Everything', audiences: ['public', 'trading', 'operator'] },
];

export interface ExplorerSettings {
  readonly publicUrl: string;
  /** Whether the service has the demo data, whose credentials the page fills in. */
  readonly hasDemo: boolean;
  readonly texts: Pick<ApiTexts, 'demoCredentials' | 'logInPath'>;
}

/** The page of Swagger UI. Its script is a file of its own, as the page's policy asks. */
export function explorerPage({ publicUrl, hasDemo, texts }: ExplorerSettings): string {
  const settings = {
    oauth2RedirectUrl: `${publicUrl}/docs/oauth2-redirect.html`,
    logInPath: texts.logInPath,
    pages: PAGES.map(({ name, audiences }) => ({
      name,
      document: `docs/openapi.json?audience=${audiences.join()}`,
      credentials: hasDemo ? texts.demoCredentials[audiences.at(-1)!] : undefined,
    })),
  };
  const links = PAGES.map(
    ({ name, title }) => html`<a href="?audience=${name}" data-page="${name}">${title}</a>`,
  );
  return `<!doctype html>${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="settings" content="${JSON.stringify(settings)}" />
        <title>Tradepost API</title>
        <link rel="stylesheet" href="docs/swagger-ui.css" />
        <link rel="stylesheet" href="docs/explorer.css" />
        <link rel="icon" type="image/png" href="docs/favicon-32x32.png" />
      </head>
      <body>
        <nav aria-label="Parts of the API">${links}</nav>
        <div id="swagger-ui"></div>
        <script src="docs/swagger-ui-bundle.js"></script>
        <script src="docs/explorer.js"></script>
      </body>
    </html>`.markup
  }`;
}

export const PAGE_STYLES = `html { overflow-y: scroll; }
body { margin: 0; background: #fafafa; }
nav { display: flex; gap: 24px; padding: 12px 20px; background: #1b1b1b; font: 600 14px sans-serif; }
nav a { color: #fff; text-decoration: none; padding: 4px 0; border-bottom: 2px solid transparent; }
nav a:hover, nav a[aria-current] { border-color: #62a03f; }
.swagger-ui .explorer-search { display: flex; align-items: center; gap: 16px; padding: 16px 20px; }
.swagger-ui .explorer-search input { flex: 1; max-width: 640px; padding: 10px; border: 1px solid #767676; border-radius: 4px; font-size: 14px; }
body.text { max-width: 960px; margin: 0 auto; padding: 24px 20px; font: 16px/1.5 sans-serif; color: #1b1b1b; }
body.text h2 { margin-bottom: 0; font-size: 18px; }
body.text section:target { background: #fff7d6; }
.swagger-ui .explorer-search output { font: 14px sans-serif; color: #3b4151; }
`;

/**
 * What the page adds to Swagger UI, as a plugin of it. Swagger UI would keep the whole document in immutable maps, and walk
 * through all of it for each operation that is opened: it gets an index here, and of an operation the rest once it is opened.
 */
export const PAGE_SCRIPT = `'use strict';

const settings = JSON.parse(document.querySelector('meta[name="settings"]').content);
const asked = new URLSearchParams(location.search).get('audience');
const shown = settings.pages.find(({ name }) => name === asked) ?? settings.pages[0];
const source = new URL(shown.document, document.baseURI).href;

for (const link of document.querySelectorAll('nav a')) {
  if (link.dataset.page === shown.name) link.setAttribute('aria-current', 'page');
}

/** Of an operation, what its line in the list needs. */
const LISTED = ['tags', 'summary', 'operationId', 'deprecated', 'security'];
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

let whole = {};

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object ?? {}).map(([name, value]) => [name, change(value)]));

const listed = (operation) => Object.fromEntries(LISTED.map((name) => [name, operation[name]]));

function indexOf({ paths, components, ...others }) {
  return {
    ...others,
    paths: mapped(paths, (item) => mapped(item, listed)),
    components: {
      securitySchemes: components.securitySchemes,
      schemas: mapped(components.schemas, ({ type = 'object' }) => ({ type })),
    },
  };
}

const at = (path) => path.reduce((value, step) => value?.[step], whole);

/** With what it refers to in place of references; Swagger UI reads the names of schemas from "$$ref". */
function resolved(value, within = []) {
  if (Array.isArray(value)) return value.map((each) => resolved(each, within));
  if (typeof value !== 'object' || value === null) return value;
  const reference = value.$ref ?? (value.allOf?.length === 1 ? value.allOf[0].$ref : undefined);
  if (typeof reference !== 'string') {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        name === 'example' || name === 'value' && 'summary' in value ? each : resolved(each, within),
      ]),
    );
  }
  if (within.includes(reference)) return { $ref: source + reference };
  const { $ref, allOf, ...others } = value;
  const target = at(reference.slice(2).split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')));
  return { ...resolved(target, [...within, reference]), $$ref: source + reference, ...others };
}

/** Somebody may come with the address of an operation that is on another page. */
function isElsewhere({ paths }) {
  const [, , id] = location.hash.split('/');
  if (id === undefined || shown.name === 'all') return false;
  return !Object.values(paths).some((item) =>
    METHODS.some((method) => item[method]?.operationId === decodeURIComponent(id)),
  );
}

const specPlugin = {
  wrapActions: {
    parseToJson: (_original, { specActions, errActions }) => (text) => {
      try {
        whole = JSON.parse(text);
      } catch (error) {
        return errActions.newSpecErr({ source: 'parser', level: 'error', message: error.message });
      }
      if (isElsewhere(whole)) location.replace('?audience=all' + location.hash);
      return specActions.updateJsonSpec(indexOf(whole));
    },
    requestResolvedSubtree: (_original, { specActions }) => (path) => {
      const value = at(path);
      if (value !== undefined) setTimeout(() => specActions.updateResolvedSubtree(path, resolved(value)));
      return { type: 'explorer_resolve' };
    },
  },
};

/** Every word of the phrase must be in the path, the summary, the id or the group of an operation. */
function found(groups, phrase) {
  const words = phrase.toLowerCase().split(/\\s+/);
  const matches = (group) => (each) => {
    const operation = each.get('operation');
    const text = [each.get('method'), each.get('path'), operation.get('summary'), operation.get('operationId'), group];
    return words.every((word) => text.join(' ').toLowerCase().includes(word));
  };
  return groups
    .map((group, name) => group.update('operations', (all) => all.filter(matches(name))))
    .filter((group) => group.get('operations').size > 0);
}

const phraseOf = ({ layoutSelectors }) => {
  const filter = layoutSelectors.currentFilter();
  return typeof filter === 'string' && filter !== 'true' ? filter : '';
};

/** What a search has found is open; fewer letters find too much. */
const LETTERS_LEAST = 3;

const layoutPlugin = {
  wrapSelectors: {
    // The original has its state already.
    isShown: (original, system) => (_state, thing, ...others) =>
      (thing[0] === 'operations-tag' && phraseOf(system.getSystem()).trim().length >= LETTERS_LEAST) ||
      original(thing, ...others),
  },
};

function explorerPlugin({ React }) {
  const element = React.createElement;
  function Search({ layoutActions, layoutSelectors, specSelectors }) {
    const count = specSelectors.taggedOperations().reduce((sum, group) => sum + group.get('operations').size, 0);
    return element(
      'div',
      { className: 'wrapper explorer-search', role: 'search' },
      element('input', {
        type: 'search',
        'aria-label': 'Search operations',
        placeholder: 'Search path, summary or operation id',
        value: phraseOf({ layoutSelectors }),
        onChange: (event) => layoutActions.updateFilter(event.target.value === '' ? true : event.target.value),
      }),
      element('output', null, count + (count === 1 ? ' operation' : ' operations')),
    );
  }
  /** Each scheme with the values of the demo, where there are any. */
  const withDemoValues = (Original) => (props) => {
    const getConfigs = () => ({ ...props.authSelectors.getConfigs(), ...shown.credentials?.[props.name] });
    return element(Original, { ...props, authSelectors: { ...props.authSelectors, getConfigs } });
  };
  return {
    fn: { opsFilter: found },
    components: { FilterContainer: Search },
    wrapComponents: { oauth2: withDemoValues },
    statePlugins: { spec: specPlugin, layout: layoutPlugin },
  };
}

/** A session is begun by an operation of the page itself, and used from then on. */
function keepSession(response) {
  if (response.ok && new URL(response.url).pathname.endsWith(settings.logInPath) && typeof response.body === 'string') {
    const schema = ui.specSelectors.specJson().getIn(['components', 'securitySchemes', 'session']);
    if (schema) ui.authActions.authorizeWithPersistOption({ session: { name: 'session', schema, value: response.body } });
  }
  return response;
}

const ui = SwaggerUIBundle({
  url: source,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  oauth2RedirectUrl: settings.oauth2RedirectUrl,
  responseInterceptor: keepSession,
  plugins: [explorerPlugin],
});
// No scopes: Swagger UI would tick them for every flow, and a client may ask only for what it has.
ui.initOAuth({ usePkceWithAuthorizationCodeGrant: true });
`;

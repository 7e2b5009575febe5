import packageJson from '../package.json' with { type: 'json' };

/** The version of the service, which plugins declare what they are compatible with. */
export const SERVICE_VERSION: string = packageJson.version;

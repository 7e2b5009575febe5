import type { InputOptions } from 'rolldown';

export declare const serviceOfSources: InputOptions;

export { UdfPlugin as default } from './udf.plugin.js';

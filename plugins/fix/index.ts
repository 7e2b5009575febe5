export { FixPlugin as default } from './fix.plugin.js';

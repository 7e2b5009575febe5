const { options } = require('./.dependency-cruiser.cjs');

/**
 * Folders beside each other, as files do, need each other in one direction only. A folder and those inside of it
 * are one part, so between them both directions are allowed.
 *
 * Modules are left out, since the file that puts a module together knows all of its folders.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
module.exports = {
  forbidden: [
    {
      name: 'no-circles-of-folders',
      comment: 'Two folders that need each other are one folder, or want a third below both.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^((.+)/[^/]+)$' },
      to: { circular: true, pathNot: ['^$1/', '^$2$'] },
    },
  ],
  options: { ...options, exclude: { path: '[.](?:spec|module)[.]ts$' } },
};

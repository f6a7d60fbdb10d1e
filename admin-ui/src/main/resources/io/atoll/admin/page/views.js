// A view is a folder of views/ with a view.js, and a name here.
export const views = [
  'world',
  'structures',
  'epochs',
  'collectives',
  'locks',
  'fabric',
  'connections',
];

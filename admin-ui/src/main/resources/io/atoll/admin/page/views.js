// A view is a file of views/, and a name here, in the order of the navigation.
export const views = [
  'overview',
  'ranks',
  'structures',
  'epochs',
  'locks',
  'collectives',
  'traffic',
  'connections',
  'events',
];

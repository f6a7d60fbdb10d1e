// The libraries, from the node itself. No other file names where they are.
export { html, nothing, render, svg } from './lib/lit-html/3.3.2/lit-html.js';
export { AsyncDirective } from './lib/lit-html/3.3.2/async-directive.js';
export { directive, Directive } from './lib/lit-html/3.3.2/directive.js';
export { keyed } from './lib/lit-html/3.3.2/directives/keyed.js';
export { live } from './lib/lit-html/3.3.2/directives/live.js';
export { repeat } from './lib/lit-html/3.3.2/directives/repeat.js';
export { default as Plot } from './lib/uplot/1.6.30/dist/uPlot.esm.js';

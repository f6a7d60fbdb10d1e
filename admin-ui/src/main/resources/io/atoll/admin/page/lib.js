// The libraries, from the node itself. No other file names where they are.
export { html, nothing, render, svg } from './lib/lit-html/lit-html.js';
export { AsyncDirective } from './lib/lit-html/async-directive.js';
export { directive, Directive } from './lib/lit-html/directive.js';
export { keyed } from './lib/lit-html/directives/keyed.js';
export { live } from './lib/lit-html/directives/live.js';
export { repeat } from './lib/lit-html/directives/repeat.js';
export { default as Plot } from './lib/uplot/uPlot.esm.js';

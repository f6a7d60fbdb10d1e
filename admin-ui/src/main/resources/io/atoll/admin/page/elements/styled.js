// Styles by the object model: the page may not have style attributes.
import { Directive, directive } from '../lib.js';

class Styled extends Directive {
  constructor(part) {
    super(part);
    this.styles = {};
  }

  render() {}

  update(part, [styles]) {
    for (const [property, value] of Object.entries(styles)) {
      if (this.styles[property] !== value) {
        part.element.style.setProperty(property, value);
      }
    }
    this.styles = styles;
  }
}

export const styled = directive(Styled);

/** Elements of the page. */

/** A new element with properties and children. `on` has its listeners. */
export function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    const { on = {}, ...rest } = properties;
    for (const [name, value] of Object.entries(rest)) {
        if (name in element) {
            element[name] = value;
        } else {
            element.setAttribute(name, value);
        }
    }
    for (const [name, listener] of Object.entries(on)) {
        element.addEventListener(name, listener);
    }
    element.append(...children);
    return element;
}

export const byId = (id) => document.getElementById(id);

/** A sentence in place of the page. */
export function fail(sentence) {
    document.body.replaceChildren(make("p", { className: "failure", role: "alert", textContent: sentence }));
}

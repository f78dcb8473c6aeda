// Filters: words such as `404`, `POST` or `caller:ci-bot`, as query parameters of a list.

/**
 * @typedef {object} Grammar
 * @property {Record<string, string>} keys the parameter for each key of `key:value`
 * @property {Record<string, (value: string) => string>} [values] how the value of a parameter is sent
 * @property {(word: string) => [parameter: string, value: string][]} word the parameters for any other word
 */

/**
 * @param {string} text
 * @param {Grammar} grammar
 * @returns {{ query: string, problem?: string, correction?: string }} query parameters, or what
 *   is wrong, and the text with the nearest key that exists
 */
export function parse(text, { keys, values = {}, word }) {
  const parameters = new Map();
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const [, key, value] = /^([a-z_]+):(.*)$/i.exec(part) ?? [];
    if (key && !Object.hasOwn(keys, key)) return misspelt(text, key, Object.keys(keys));
    if (key && !value) return { query: "", problem: `“${key}:” needs a value.` };
    for (const [name, given] of key ? [[keys[key], value]] : word(part)) parameters.set(name, given);
  }
  const sent = (name, value) => encodeURIComponent(values[name]?.(value) ?? value);
  return { query: [...parameters].map(([name, value]) => `&${name}=${sent(name, value)}`).join("") };
}

function misspelt(text, key, keys) {
  const near = nearest(key.toLowerCase(), keys);
  const problem = `There is no filter “${key}”. `;
  if (!near) return { query: "", problem: `${problem}The filters are ${keys.join(", ")}.` };
  return { query: "", problem: `${problem}Did you mean “${near}”?`, correction: text.replace(`${key}:`, `${near}:`) };
}

/** The word that is the fewest edits away, if those are fewer than half of its letters. */
export function nearest(word, words) {
  const scored = words.map((one) => [distance(word.slice(0, 40), one), one]).sort(([one], [other]) => one - other);
  const [edits, found] = scored[0];
  return edits * 2 <= found.length ? found : null;
}

/** How many letters must be inserted, removed or replaced. */
function distance(one, other) {
  let row = [...Array(other.length + 1).keys()];
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      next.push(Math.min(next[to - 1] + 1, row[to] + 1, row[to - 1] + (one[at - 1] === other[to - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length];
}

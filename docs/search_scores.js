// How the results of the search are ordered: as Sphinx does, but titles that have the words come first, then short answers, then pages
// that explain, then those of public names, then decisions and lists.
var Scorer = {
    score: (result) => {
        const [page, title, , , score] = result;
        const query = new URLSearchParams(window.location.search).get("q") || "";
        const words = query.toLowerCase().split(/[^\w.]+/).filter((word) => word.length > 2);
        const found = words.filter((word) => title.toLowerCase().includes(word.slice(0, 6)));
        const factors = [
            [/^decisions\/|^changelog|^changes_of|^new$|^questions|^how_do_i\/index/, 0.3],
            [/^glossary|^validation\/|^concepts\/(contributing|architecture)|\/index$/, 0.5],
            [/^reference\//, 0.6],
            [/^start$|^how_do_i\//, 1.2],
        ];
        const factor = factors.find(([pattern]) => pattern.test(page));
        return (score + (12 * found.length) / Math.max(1, words.length)) * (factor ? factor[1] : 1);
    },
    objNameMatch: 11,
    objPartialMatch: 6,
    objPrio: { 0: 15, 1: 5, 2: -5 },
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
};

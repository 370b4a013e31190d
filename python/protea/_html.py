"""The part of the notebook representation that shows what a fitted model holds."""

from html import escape

#: Rows of the table, at most.
MOST = 12


def summary(estimator):
    """HTML of the prototypes of each class and the share of training samples that they answer; empty before a fit."""
    model = getattr(estimator, "model_", None)
    if model is None or not hasattr(estimator, "prototypes_"):
        return ""
    labels, importance = model.labels, model.importance
    rows = []
    for index, name in enumerate(map(str, estimator.classes_)):
        own = labels == index
        rows.append(f"<tr><th scope='row'>{escape(name)}</th><td>{own.sum()}</td><td>{100 * importance[own].sum():.1f} %</td></tr>")
    if len(rows) > MOST:
        rows[MOST:] = [f"<tr><td colspan='3'>and {len(rows) - MOST} more classes</td></tr>"]
    error = model.provenance.get("train_error")
    told = f"{len(labels)} prototypes of {len(estimator.classes_)} classes, {model.nbytes} bytes"
    if error is not None:
        told += f", training error {100 * error:.2f} %"
    return (
        f"<details class='protea-prototypes'><summary>{escape(told)}</summary><table><thead><tr><th>class</th>"
        f"<th>prototypes</th><th>training samples answered</th></tr></thead><tbody>{''.join(rows)}</tbody></table></details>"
    )

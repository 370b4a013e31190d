"""What can go wrong, one exception for each kind of mistake."""


class ProteaError(Exception):
    """Every error of protea."""


class SettingError(ProteaError, ValueError):
    """A parameter has a value that cannot be used."""


class UnknownSettingError(SettingError):
    """A method does not have this parameter."""


class UnknownNameError(ProteaError, ValueError):
    """A name that is not in the list of methods, classes or metrics."""


class DataError(ProteaError, ValueError):
    """Samples cannot be learned from or predicted."""


class CellError(DataError):
    """A value in a file is wrong."""


class FeaturesError(DataError):
    """Samples have another number of features than the model."""


class UnsupportedError(ProteaError, ValueError):
    """The model or method cannot do what is asked, whatever the samples."""


class MissingDataError(ProteaError, OSError):
    """A data set of the catalogue is neither shipped nor in the folder given."""


class ModelFileError(ProteaError, OSError):
    """A model file cannot be read or written."""


class DivergedError(ProteaError, ArithmeticError):
    """The objective left the finite numbers before a single step was accepted."""


class DenseLimitError(ProteaError, MemoryError):
    """A sparse matrix would need too much memory as a dense one."""

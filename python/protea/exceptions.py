"""Exceptions, one for each kind of error."""


class ProteaError(Exception):
    """Base class of all errors of protea."""


class SettingError(ProteaError, ValueError):
    """A parameter has an invalid value."""


class UnknownSettingError(SettingError):
    """A method does not have this parameter."""


class UnknownNameError(ProteaError, ValueError):
    """An unknown name of a method, class or metric."""


class DataError(ProteaError, ValueError):
    """Samples that cannot be used for training or prediction."""


class CellError(DataError):
    """A value in a file is invalid."""


class FeaturesError(DataError):
    """Samples and model differ in the number of features."""


class UnsupportedError(ProteaError, ValueError):
    """The model or method cannot do what is asked, whatever the samples."""


class MissingDataError(ProteaError, OSError):
    """A data set of the catalogue is neither shipped nor in the folder given."""


class ModelFileError(ProteaError, OSError):
    """A model file cannot be read or written."""


class DivergedError(ProteaError, ArithmeticError):
    """The objective became infinite or NaN before a single step was accepted."""


class DenseLimitError(ProteaError, MemoryError):
    """A sparse matrix needs too much memory in dense form."""

"""Tables as .mat and HDF5 files, data frames and datasets: reading gives what was written, bit for bit."""

import struct

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.io import loadmat, savemat

import mobod as mb
from mobod import late_imports
from mobod.errors import InputError, MobodError, UnknownNameError, WriteError
from mobod.simulate.table import Table

ANY_BITS = np.random.default_rng(20).integers(0, 2**64, 60, dtype=np.uint64).view(float)  # subnormal numbers, infinities, NaN of all kinds
TIME = np.cumsum(np.random.default_rng(3).random(60))
SPECIAL = np.resize([0.0, -0.0, 5e-324, 1.7976931348623157e308, np.inf, -np.inf, np.nan, 0.1], 60)


def general_table(rows=60):
    columns = {
        "arm.q": ANY_BITS,
        "arm.p_GB": np.column_stack([SPECIAL, TIME, ANY_BITS]),
        "arm.reaction": np.ones((60, 2)),
        "Gelenk-Länge": np.full(60, SPECIAL[2]),
        "on": TIME > 20.0,
        "n": np.arange(60) - 2**53,
    }
    return Table(
        TIME[:rows],
        {name: values[:rows] for name, values in columns.items()},
        {"arm.q": "rad", "arm.p_GB": "m"},
        components={
            "arm.p_GB": [("arm.p_GB x", "m"), ("arm.p_GB y", "m"), ("arm.p_GB z", "m")],
            "arm.reaction": [("arm.reaction Mz", "N.m"), ("arm.reaction Fx", "N")],
        },
        descriptions={"arm.q": "angle of the arm", "Gelenk-Länge": "Länge in Ruhe"},
        parameters=["Gelenk-Länge", "n"],
        terminated_by="landing",
    )


def in_format(table, layout, path):
    """The file that `to_mat` wrote, in the other of the two layouts if wanted."""
    table.to_mat(path)
    if layout == "binNormal":
        kept = {key: value for key, value in loadmat(path, chars_as_strings=False).items() if not key.startswith("__")}
        turned = {key: value if key == "Aclass" else np.ascontiguousarray(value.T) for key, value in kept.items()}
        turned["Aclass"][3, :9] = list("binNormal")
        savemat(path, turned, format="4")
    return path


@pytest.mark.parametrize("layout", ["binTrans", "binNormal"])
@pytest.mark.parametrize("rows", [60, 1, 0])
def test_a_mat_file_restores_every_bit_with_units_and_descriptions(layout, rows, tmp_path):
    table = general_table(rows)
    again = Table.from_mat(in_format(table, layout, tmp_path / "run.mat"))

    assert again.time.tobytes() == table.time.tobytes()
    flat = table.flat()
    assert list(again) == [each.name for each in flat]
    assert "arm.p_GB[3]" in again
    for each in flat:
        assert again[each.name].dtype == float
        assert again[each.name].tobytes() == each.values.astype(float).tobytes(), each.name
    assert again.units == {"arm.q": "rad", **{f"arm.p_GB[{k}]": "m" for k in (1, 2, 3)}, "arm.reaction[1]": "N.m", "arm.reaction[2]": "N"}
    assert again.descriptions == table.descriptions
    assert again.parameters == {60: {"Gelenk-Länge"}, 1: {"Gelenk-Länge", "n"}, 0: set()}[rows]  # 'n' changes


def test_a_mat_file_has_the_matrices_of_dymola_and_openmodelica(tmp_path):
    table = Table(
        np.array([0.0, 0.5, 2.0]),
        {"m": np.full(3, 1.5), "q": [1.0, 2.0, 4.0], "p": np.arange(6.0).reshape(3, 2)},
        {"q": "rad", "m": "kg"},
        descriptions={"q": "angle"},
        parameters=["m"],
    )
    table.to_mat(tmp_path / "run.mat")
    raw = loadmat(tmp_path / "run.mat", chars_as_strings=False)

    def texts(matrix):
        return ["".join(row).rstrip() for row in matrix]

    assert texts(raw["Aclass"]) == ["Atrajectory", "1.1", "", "binTrans"]
    assert texts(raw["name"].T) == ["time", "m", "q", "p[1]", "p[2]"]
    assert texts(raw["description"].T) == ["time [s]", "[kg]", "angle [rad]", "", ""]
    assert raw["dataInfo"].dtype == np.int32
    assert_array_equal(raw["dataInfo"].T, [[0, 1, 0, -1], [1, 2, 0, 0], [2, 2, 0, -1], [2, 3, 0, -1], [2, 4, 0, -1]])
    assert_array_equal(raw["data_1"], [[0, 2], [1.5, 1.5]])
    assert_array_equal(raw["data_2"], [[0, 0.5, 2], [1, 2, 4], [0, 2, 4], [1, 3, 5]])
    # version 4: the first number is 50 for a matrix of characters, then rows, columns, no imaginary part, length of the name
    assert struct.unpack("<5i", (tmp_path / "run.mat").read_bytes()[:20]) == (51, 4, 11, 0, 7)


def test_aliases_displayed_units_and_types_of_dymola_are_understood(tmp_path):
    texts = {
        "name": ["Time", "a", "b", "n", "g", "on"],
        "description": ["Time in [s]", "angle [rad|deg]", "its opposite", "count [:#(type=Integer)]", "gain [1]", "flag [odd] text"],
    }
    width = 30
    matrices = {
        "Aclass": np.array([list(each.ljust(11)) for each in ("Atrajectory", "1.1", "", "binTrans")]),
        **{key: np.array([list(each.ljust(width)) for each in value]).T.copy() for key, value in texts.items()},
        "dataInfo": np.array([[0, 1, 0, -1], [2, 2, 0, -1], [2, -2, 0, -1], [1, 2, 0, 0], [1, -3, 0, 0], [2, 3, 0, -1]], dtype=float).T,
        "data_1": np.array([[0, 9], [3, 3], [0.5, 0.5]], dtype=np.float32),
        "data_2": np.array([[0, 1, 9], [0.1, 0.2, 0.3], [1, 0, 1]], dtype=np.float32),
    }
    savemat(tmp_path / "dsres.mat", matrices, format="4")
    table = Table.from_file(tmp_path / "dsres.mat")

    assert list(table) == ["a", "b", "n", "g", "on"]
    assert_array_equal(table.time, [0, 1, 9])
    assert_array_equal(table["b"], -np.float32([0.1, 0.2, 0.3]).astype(float))
    assert_array_equal(table["n"], [3, 3, 3])
    assert_array_equal(table["g"], [-0.5, -0.5, -0.5])
    assert table.units == {"a": "rad", "g": "1"}
    assert table.descriptions == {"a": "angle", "b": "its opposite", "n": "count", "g": "gain", "on": "flag [odd] text"}
    assert table.parameters == {"n", "g"}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": np.array(["a", "b"], dtype=object)}, r"column 'word' contains text.*Table\.select"),
        ({"n": np.array([1, 2**53 + 1])}, r"integers above 2\^53"),
        ({"q ": np.zeros(2)}, "ends with a space"),
        ({"p": np.zeros((2, 2)), "p[2]": np.zeros(2)}, r"two columns would be written as 'p\[2\]'"),
    ],
)
def test_what_a_mat_file_cannot_hold_is_refused(columns, message, tmp_path):
    with pytest.raises(InputError, match=message):
        Table(np.array([0.0, 1.0]), columns).to_mat(tmp_path / "run.mat")
    assert not list(tmp_path.iterdir())


def damaged(path, change):
    general_table().to_mat(path)
    matrices = {key: value for key, value in loadmat(path, chars_as_strings=False).items() if not key.startswith("__")}
    change(matrices)
    savemat(path, matrices, format="4")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda of: of.pop("Aclass"), "no matrix 'Aclass'"),
        (lambda of: of.pop("data_2"), "no matrix 'data_2'"),
        (lambda of: of["Aclass"].__setitem__((1, 2), "0"), "Aclass is 'Atrajectory', '1.0'"),
        (lambda of: of.update(name=np.zeros((3, 3))), "the matrix 'name' has shape"),
        (lambda of: of.update(name=of["name"][:, 1:].copy()), "9 names have 10 descriptions"),
        (lambda of: of.update(name=np.repeat(of["name"][:, :1], 10, axis=1)), "two variables have the same name"),
        (lambda of: of["dataInfo"].__setitem__((1, 1), 40), r"dataInfo of 'arm\.q' is 2, 40, but data_2 has 9 quantities"),
        (lambda of: of["dataInfo"].__setitem__((1, 1), 0), r"dataInfo of 'arm\.q' is 2, 0"),
        (lambda of: of["dataInfo"].__setitem__((0, 1), 7), "no matrix 'data_7'"),
        (lambda of: of.update(data_2=of["data_2"][:0]), "data_2 has 0 quantities"),
        (lambda of: of.update(data_2=np.ones_like(of["data_2"]) * 1j), "the matrix 'data_2' has shape .* complex"),
        (lambda of: of.update(dataInfo=of["dataInfo"][:, :0]), r"the matrix 'dataInfo' has shape \(4, 0\)"),
    ],
)
def test_a_mat_file_that_is_no_trajectory_is_refused(change, message, tmp_path):
    damaged(tmp_path / "run.mat", change)
    with pytest.raises(InputError, match=rf"run\.mat: not results as Dymola and OpenModelica write them: .*{message}"):
        Table.from_mat(tmp_path / "run.mat")


def test_a_mat_file_of_billions_of_empty_rows_is_refused(tmp_path):
    (tmp_path / "run.mat").write_bytes(struct.pack("<5i", 51, 2**31 - 1, 0, 0, 7) + b"Aclass\0")
    with pytest.raises(InputError, match=r"the matrix 'Aclass' has shape \(2147483647, 0\)"):
        Table.from_mat(tmp_path / "run.mat")


def test_a_mat_file_of_version_5_is_refused_since_scipy_may_crash_on_it(tmp_path):
    savemat(tmp_path / "run.mat", {"Aclass": np.zeros(3)}, format="5")
    with pytest.raises(InputError, match=r"run\.mat: a MATLAB file of version 5 or later.*'-v4'"):
        Table.from_mat(tmp_path / "run.mat")


def test_a_file_of_another_kind_is_refused(tmp_path):
    general_table().to_mat(tmp_path / "run.mat")
    whole = (tmp_path / "run.mat").read_bytes()
    for content in (b"", b"time,a\n0,1\n", whole[:200], whole[:-8]):
        (tmp_path / "cut.mat").write_bytes(content)
        with pytest.raises(InputError, match=r"cut\.mat: not a MATLAB file"):
            Table.from_mat(tmp_path / "cut.mat")
    with pytest.raises(InputError, match=r"run\.txt: the name of a file with results must end with \.csv, \.mat, \.h5, \.hdf5"):
        Table.from_file(tmp_path / "run.txt")
    (tmp_path / "run.csv").write_bytes(b"time,a\n0,\xff\n")
    with pytest.raises(InputError, match=r"run\.csv: not a CSV file in UTF-8"):
        Table.from_file(tmp_path / "run.csv")
    with pytest.raises(FileNotFoundError):
        Table.from_mat(tmp_path / "none.mat")


@pytest.mark.fast(2)
@pytest.mark.parametrize("rows", [60, 1, 0])
def test_an_hdf5_file_restores_the_whole_table(rows, tmp_path):
    h5py = pytest.importorskip("h5py", reason="HDF5 needs h5py, of the extra 'data'")
    table = general_table(rows)
    table.columns |= {"wörd/1": np.resize(np.array(["a", "ü\n"], dtype=object), rows), ".": np.zeros((rows, 0)), "%2F": TIME[:rows] / 3}
    table.to_hdf5(tmp_path / "run.h5")
    again = Table.from_file(tmp_path / "run.h5")

    assert again.time.tobytes() == table.time.tobytes()
    assert list(again) == list(table)
    for name in table:
        assert again[name].dtype == table[name].dtype
        assert again[name].shape == table[name].shape
        if table[name].dtype == object:
            assert again[name].tolist() == table[name].tolist()
        else:
            assert again[name].tobytes() == table[name].tobytes()
    for what in ("units", "descriptions", "parameters", "terminated_by"):
        assert getattr(again, what) == getattr(table, what)
    assert {name: list(pairs) for name, pairs in again.components.items()} == table.components
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["arm.q"].attrs["units"] == "rad"
        assert file["arm.p_GB"].dims[0][0] == file["time"]


def test_named_columns_of_an_hdf5_file_are_read_alone(tmp_path):
    pytest.importorskip("h5py", reason="HDF5 needs h5py, of the extra 'data'")
    general_table().to_hdf5(tmp_path / "run.hdf5")

    part = Table.from_hdf5(tmp_path / "run.hdf5", "n", "arm.q")
    assert list(part) == ["n", "arm.q"]
    assert part["arm.q"].tobytes() == ANY_BITS.tobytes()
    with pytest.raises(UnknownNameError, match=r"Did you mean 'arm\.q'"):
        Table.from_hdf5(tmp_path / "run.hdf5", "arm.qq")


def test_another_hdf5_file_is_refused_and_one_that_cannot_be_written_is_named(tmp_path):
    h5py = pytest.importorskip("h5py", reason="HDF5 needs h5py, of the extra 'data'")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["time"] = TIME
    (tmp_path / "text.h5").write_text("time,a\n")
    with pytest.raises(InputError, match=r"other\.h5: an HDF5 file, but not one that `to_hdf5` wrote"):
        Table.from_hdf5(tmp_path / "other.h5")
    with pytest.raises(InputError, match=r"text\.h5: not an HDF5 file"):
        Table.from_hdf5(tmp_path / "text.h5")
    with pytest.raises(FileNotFoundError):
        Table.from_hdf5(tmp_path / "none.h5")
    with pytest.raises(WriteError, match=r"run\.h5"):
        general_table().to_hdf5(tmp_path / "nowhere" / "run.h5")


def test_a_data_frame_has_the_columns_of_a_csv_file_over_time():
    pandas = pytest.importorskip("pandas", reason="data frames need pandas, of the extra 'data'")
    table = general_table()
    frame = table.to_dataframe()

    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "time"
    assert frame.index.to_numpy().tobytes() == TIME.tobytes()
    assert list(frame.columns) == [each.name for each in table.flat()]
    for each in table.flat():
        assert frame[each.name].to_numpy().tobytes() == each.values.tobytes()
    assert frame.attrs["units"]["arm.reaction[2]"] == "N"
    assert general_table(0).to_dataframe().empty


def test_a_dataset_has_units_and_components_as_dimensions():
    xarray = pytest.importorskip("xarray", reason="datasets need xarray, of the extra 'data'")
    table = general_table()
    table.columns |= {"R": np.arange(540.0).reshape(60, 9), "v": np.ones((60, 3)), "e": np.zeros((60, 0))}
    table.components["R"] = [(f"R[{i},{j}]", "1") for i in (1, 2, 3) for j in (1, 2, 3)]
    dataset = table.to_xarray()

    assert isinstance(dataset, xarray.Dataset)
    assert dataset.sizes == {"time": 60, "xyz": 3, "Mz_Fx": 2, "entry_3_3": 9, "entry_3": 3, "entry_0": 0}
    assert dataset["arm.q"].attrs == {"units": "rad", "description": "angle of the arm"}
    assert dataset["arm.p_GB"].attrs["units"] == "m"
    assert dataset["arm.reaction"].attrs["units"] == ["N.m", "N"]
    assert dataset["time"].attrs["units"] == "s"
    assert dataset.attrs == {"terminated_by": "landing"}
    assert_array_equal(dataset["arm.p_GB"].sel(xyz="y"), TIME)
    assert_array_equal(dataset["R"].sel(entry_3_3="2,1"), table["R"][:, 3])
    assert general_table(0).to_xarray().sizes["time"] == 0


@pytest.mark.parametrize(
    ("method", "package"), [("to_hdf5", "h5py"), ("from_hdf5", "h5py"), ("to_dataframe", "pandas"), ("to_xarray", "xarray")]
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(method, package, tmp_path, monkeypatch):
    def import_module(name):
        raise ModuleNotFoundError(f"No module named '{name}'", name=name)

    monkeypatch.setattr(late_imports, "import_module", import_module)
    arguments = [tmp_path / "run.h5"] if "hdf5" in method else []
    with pytest.raises(MobodError, match=rf"{method} needs the package {package}, .*pip install '{package}', or 'mobod\[data\]'"):
        getattr(general_table(), method)(*arguments)
    assert not list(tmp_path.iterdir())


def test_results_are_written_with_the_parameters_of_their_system(tmp_path):
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    gravity = mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="arm").set_default_q(0.4)
    results = mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 0.2, report_every=0.05)
    results.to_mat(tmp_path / "run.mat")
    results.to_mat(tmp_path / "place.mat", "arm.p_GB", "energy")

    table = Table.from_mat(tmp_path / "run.mat")
    assert list(table)[:2] == ["arm.q", "arm.u"]
    assert "gravity.magnitude" in table.parameters
    assert set(table) == {"arm.q", "arm.u"} | table.parameters
    assert set(table["gravity.magnitude"]) == {gravity.magnitude(results.final_state)}
    assert table["arm.q"].tobytes() == results["arm.q"].tobytes()
    assert table.units["arm.q"] == "rad"
    assert table.descriptions["arm.q"] == system.variable(results.final_state, "arm.q").description
    place = Table.from_mat(tmp_path / "place.mat")
    assert list(place)[:4] == ["arm.p_GB[1]", "arm.p_GB[2]", "arm.p_GB[3]", "energy"]
    assert place["arm.p_GB[2]"].tobytes() == results["arm.p_GB"][:, 1].tobytes()


def test_results_become_what_their_table_becomes(tmp_path):
    for package in ("h5py", "pandas", "xarray"):
        pytest.importorskip(package, reason="needs the extra 'data'")
    system = mb.MultibodySystem("pendulum")
    mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="arm").set_default_q(0.4)
    results = mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 0.1, report_every=0.05)

    assert list(results.to_dataframe()) == ["arm.q", "arm.u"]
    assert results.to_xarray("arm.p_GB")["arm.p_GB"].dims == ("time", "xyz")
    results.to_hdf5(tmp_path / "run.h5", "arm.p_GB")
    assert Table.from_hdf5(tmp_path / "run.h5")["arm.p_GB"].tobytes() == results["arm.p_GB"].tobytes()


@pytest.mark.parametrize(
    "text",
    [
        "# of Monday\ntime,u,label\n0,1.5,a\n# between\n2,-3e2,b\n",
        "time;u;label\n0;1,5;a\n2;-3,0e2;b\n",
        "time\tu\tlabel\n0\t1.5\ta\n2\t-3e2\tb\n",
        "\ufeff# time;u;label\n0;1.5;a\n2;-300;b\n",
    ],
)
def test_a_csv_file_may_have_semicolons_tabs_and_comments(tmp_path, text):
    (tmp_path / "run.csv").write_text(text, encoding="utf-8")
    table = Table.from_csv(tmp_path / "run.csv")
    assert table.time.tolist() == [0.0, 2.0]
    assert table["u"].tolist() == [1.5, -300.0]
    assert table["label"].tolist() == ["a", "b"]


def test_a_csv_file_with_commas_has_no_decimal_commas(tmp_path):
    (tmp_path / "run.csv").write_text('time,u\n0,"1,5"\n')
    assert Table.from_csv(tmp_path / "run.csv")["u"].tolist() == ["1,5"]  # a text
